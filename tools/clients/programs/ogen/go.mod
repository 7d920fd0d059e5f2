module example

go 1.26

require github.com/ogen-go/ogen v1.23.0
