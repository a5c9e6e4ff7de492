package history

var Parse = parse
