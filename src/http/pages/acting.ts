import { SCOPE_WORDS, SCOPES } from '#wire/scopes.ts'
import type { Chapter } from './chapter.ts'
import { html } from './html.ts'

/** Acting for others who allow it (contract 4.4), and what each scope means to them. */
export const oauth = (base: string): Chapter => ({
  id: 'oauth',
  title: 'Acting for others: OAuth',
  text: html`
<p>An application that others use asks each of them, and gets tokens of its own: OAuth 2.0 by authorization code,
with PKCE (<code>S256</code>) from every application. Owners and admins register one under Settings, OAuth
applications. A library finds the rest at <a href="/.well-known/oauth-authorization-server"><code>/.well-known/oauth-authorization-server</code></a>;
<code>docs/oauth.md</code> of this Docket walks through it by hand, and <code>examples/oauth-client</code> is one to
start from.</p>
<p><b>Ask.</b> Send the browser to <code>/oauth/authorize</code>. The person signs in, sees the scopes in the words
below, chooses a workspace, and allows or denies. The browser comes back to your redirect URI with <code>code</code>,
<code>state</code> and <code>iss</code>. The redirect URI must be a registered one, character by character; of a
public application on <code>127.0.0.1</code> or <code>[::1]</code> the port may differ. Compare <code>state</code> with
what you sent, and <code>iss</code> with <code>${base}</code>.</p>
<p><b>Exchange.</b> The code is good for 60 seconds, and once. <code>/oauth/token</code> takes forms and answers with
an access token for an hour and a refresh token. Use the access token as you would a key. A confidential
application authenticates with its secret (<code>client_secret_basic</code> or <code>client_secret_post</code>), a public
one sends <code>client_id</code> alone.</p>
<p><b>Renew.</b> Each use of a refresh token gives another: keep it at once. For 30 seconds, and while its successor was
not used, the old one is answered again, for a reply that got lost. Later it is taken for a stolen one:
<code>invalid_grant</code>, and all tokens of that authorization end. Unused, a refresh token ends after 30 days, and in
any case 365 days after the person was asked.</p>
<p><b>End.</b> <code>/oauth/revoke</code> ends an authorization with all of its tokens; so does the person, under
Settings, API access. What a token is worth tells <code>/oauth/introspect</code>. Errors of these addresses are those of
the standard: <code>{"error", "error_description"}</code>.</p>
<p>These are the scopes, for applications and for keys:</p>`,
  rows: SCOPES.map((scope) => ({ name: html`<code>${scope}</code>`, text: SCOPE_WORDS[scope] })),
  examples: [
    {
      label: 'Where the browser goes',
      text: `${base}/oauth/authorize
  ?response_type=code
  &client_id=app_…
  &redirect_uri=https://app.example.com/callback
  &scope=tasks:read%20tasks:write
  &state=…
  &code_challenge=…
  &code_challenge_method=S256`,
    },
    {
      label: 'Code for tokens',
      text: `curl "${base}/oauth/token" \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=authorization_code \\
  -d code="$CODE" -d code_verifier="$VERIFIER" \\
  -d redirect_uri=https://app.example.com/callback`,
    },
    {
      label: 'Tokens',
      text: `{
  "access_token": "dat_…",
  "token_type": "Bearer",
  "expires_in": 3600,
  "refresh_token": "drt_…",
  "scope": "tasks:read tasks:write"
}`,
    },
    {
      label: 'The next tokens',
      text: `curl "${base}/oauth/token" \\
  -u "$CLIENT_ID:$CLIENT_SECRET" \\
  -d grant_type=refresh_token \\
  -d refresh_token="$REFRESH_TOKEN"`,
    },
  ],
})
