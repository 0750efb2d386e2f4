"""The commands, by what they are for."""

# title: {name: (module, help)}. The module is imported when the command is called, and provides `command`.
GROUPS = {
    "Simulate": {
        "run": ("run", "Simulate a net and print its measures."),
        "watch": ("watch", "Check and run a net again whenever its file changes."),
        "live": ("live", "Turn a net's parameters in a browser, and see the figures change."),
        "sweep": ("sweep", "Run a net at many points of its parameters, with replications."),
        "tune": ("tune", "Find the best setting of a net's parameters, or that of measured figures."),
        "search": ("search", "Find the largest value of a parameter at which a condition holds."),
        "sensitivity": ("sensitivity", "Say how much each figure changes with each parameter and each time."),
        "rfc2544": ("rfc2544", "Measure what a net forwards, by the tests of RFC 2544."),
    },
    "Nets": {
        "list": ("library", "List the nets of the library."),
        "new": ("new", "Write a net to start from: a copy of a pattern of the library."),
        "check": ("check", "Report all errors and warnings in .net files."),
        "fmt": ("fmt", "Format .net files in the standard layout."),
        "info": ("info", "Show a net's parameters, places, transitions and measures."),
        "draw": ("draw", "Draw a net as SVG or Graphviz DOT."),
    },
    "Results": {
        "report": ("report", "Write an HTML report of a result or of a sweep."),
        "compare": ("compare", "Compare two results, or two points of a sweep."),
        "rerun": ("rerun", "Repeat the replications of a result and compare the trajectories."),
        "fit": ("fit", "Find the distribution that measured values follow."),
        "validate": ("validate", "Compare the nets with published figures."),
    },
    "What happens in a run": {
        "why": ("why", "Explain why a transition is enabled at an instant, or why not."),
        "step": ("step", "Walk through a run in the terminal, firing by firing, and back."),
        "play": ("play", "Record a run as a token game: one HTML file that steps through it."),
    },
    "Exact answers": {
        "bound": ("bound", "Say how large figures can be in the long run, and what limits them."),
        "solve": ("solve", "Compute the figures of a net exactly, from its Markov chain."),
        "reach": ("reach", "Explore every state of a net: bounds, dead states, conditions."),
    },
    "Other tools": {
        "import": ("importing", "Print a net of another tool (PNML, …) as text of the language."),
        "export": ("exporting", "Print a net for another tool: PNML, GreatSPN, PRISM, JANI, DOT."),
        "flat": ("flat", "Print the flat net, which the engines read, as JSON."),
        "lsp": ("lsp", "Serve editors over the Language Server Protocol."),
        "mcp": ("mcp", "Serve assistants over the Model Context Protocol."),
        "help": ("manual", "Describe a command."),
    },
}
COMMANDS = {name: one for commands in GROUPS.values() for name, one in commands.items()}
