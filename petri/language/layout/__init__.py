"""From the syntax tree back to text: `writing` spells it, `setting` breaks lines, `formatter` formats a file."""
