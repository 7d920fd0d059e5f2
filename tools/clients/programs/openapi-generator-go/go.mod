module example

go 1.26

require (
	golang.org/x/oauth2 v0.34.0
	gopkg.in/validator.v2 v2.0.1
)
