const text = { schema: { type: 'string' } }
const whole = { schema: { type: 'integer' } }

/** Headers of every counted reply. */
export const HEADERS = {
  'X-Request-Id': text,
  'X-RateLimit-Limit': whole,
  'X-RateLimit-Remaining': whole,
  'X-RateLimit-Reset': whole,
}

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** What any endpoint may answer instead (contract 7.1). */
export const FAILURES = {
  401: failure('No credential, or one that is not valid.'),
  403: failure('The scope of the credential, or the role of its person, does not allow it.'),
  404: failure('There is no such record, or it may not be seen.'),
  429: {
    ...failure('The workspace has used its requests of this minute.'),
    headers: { 'Retry-After': whole },
  },
  default: failure('Refused: `error.code` says why.'),
}
