import type { Application } from '#resources/applications/internal.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'

/** The OAuth endpoints; standard clients discover them through the metadata (RFC 8414). */
export const getOAuthEndpoints = (origin: string) => ({
  authorize: `${origin}/oauth/authorize`,
  token: `${origin}/oauth/token`,
  metadata: `${origin}/.well-known/oauth-authorization-server`,
})

/**
 * Shell commands for one authorization: they print the address at which a person allows the
 * application, and exchange the code for a token. Only the code has to be filled in.
 */
export function formatOAuthCommands(
  application: Application,
  origin: string,
  secret?: string,
): string {
  const { id, type, redirect_uris, scopes } = application
  const [redirect_uri = ''] = redirect_uris
  const { authorize, token } = getOAuthEndpoints(origin)
  const params = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri,
    scope: scopes.join(' '),
    code_challenge_method: 'S256',
  })
  const clientAuth =
    type === 'confidential' ? `-u "${id}:${secret ?? '$CLIENT_SECRET'}"` : `-d client_id=${id}`
  return [
    `# ${applicationMessages.exampleSteps.open}:`,
    'VERIFIER=$(openssl rand -hex 32)',
    'CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr "+/" "-_" | tr -d "=")',
    `echo "${authorize}?${escapeDoubleQuoted(String(params))}&code_challenge=$CHALLENGE"`,
    '',
    `# ${applicationMessages.exampleSteps.exchange}:`,
    `curl "${token}" ${clientAuth} \\`,
    '  -d grant_type=authorization_code -d code=CODE -d code_verifier="$VERIFIER" \\',
    `  --data-urlencode "redirect_uri=${escapeDoubleQuoted(redirect_uri)}"`,
  ].join('\n')
}

/** Escapes a text for the double quotes of a POSIX shell. */
const escapeDoubleQuoted = (text: string): string => text.replace(/[\\"$`]/g, '\\$&')
