import type { Application } from '#resources/applications/internal.ts'
import { m } from '../../../messages/applications.ts'

/** The addresses that an application is given; standard clients find all of them by the metadata. */
export const endpointsAt = (origin: string) => ({
  authorize: `${origin}/oauth/authorize`,
  token: `${origin}/oauth/token`,
  metadata: `${origin}/.well-known/oauth-authorization-server`,
})

/**
 * Commands that go once through the whole: an address to allow the application at, and what turns the code
 * that it comes back with into a token. They run as they are, but for the code.
 */
export function commandsFor(application: Application, origin: string, secret?: string): string {
  const { id, type, redirect_uris, scopes } = application
  const [redirect_uri = ''] = redirect_uris
  const { authorize, token } = endpointsAt(origin)
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri,
    scope: scopes.join(' '),
    code_challenge_method: 'S256',
  })
  const who =
    type === 'confidential' ? `-u "${id}:${secret ?? '$CLIENT_SECRET'}"` : `-d client_id=${id}`
  return [
    `# ${m.exampleSteps.open}:`,
    'VERIFIER=$(openssl rand -hex 32)',
    'CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr "+/" "-_" | tr -d "=")',
    `echo "${authorize}?${quoted(String(asked))}&code_challenge=$CHALLENGE"`,
    '',
    `# ${m.exampleSteps.exchange}:`,
    `curl "${token}" ${who} \\`,
    '  -d grant_type=authorization_code -d code=CODE -d code_verifier="$VERIFIER" \\',
    `  --data-urlencode "redirect_uri=${quoted(redirect_uri)}"`,
  ].join('\n')
}

/** A text between the double quotes of a shell. */
const quoted = (text: string): string => text.replace(/[\\"$`]/g, '\\$&')
