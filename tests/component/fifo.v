// A FIFO of four bytes with valid and ready on both sides. Written for this test.
module fifo(
    input clk, input rst,
    input [7:0] in, input in_valid, output in_ready,
    output [7:0] out, output out_valid, input out_ready
);
    reg [7:0] words [0:3];
    reg [2:0] write, read;  // one bit more than the index: equal pointers are empty, half a turn apart full
    assign in_ready = (write ^ read) != 3'b100;
    assign out_valid = write != read;
    assign out = words[read[1:0]];
    always @(posedge clk) begin
        if (rst) begin
            write <= 0;
            read <= 0;
        end else begin
            if (in_valid && in_ready) begin
                words[write[1:0]] <= in;
                write <= write + 1;
            end
            if (out_valid && out_ready) read <= read + 1;
        end
    end
endmodule
