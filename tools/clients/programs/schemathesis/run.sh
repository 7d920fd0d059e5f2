# Sends thousands of valid and invalid requests, and checks every reply against the document.
exec "$1" run openapi.json --url "$DOCKET_URL" --header "Authorization: Bearer $DOCKET_KEY" \
  --phases examples,coverage,fuzzing --max-examples 20 --seed 1 --continue-on-failure --workers 1 \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method
