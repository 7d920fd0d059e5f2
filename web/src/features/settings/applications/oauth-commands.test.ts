import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { describeScopes } from './describe-scopes.ts'
import { formatOAuthCommands } from './oauth-commands.ts'

const application = {
  id: 'app_00000000000000000000000002',
  name: 'Standup Notes',
  description: null,
  homepage_url: null,
  type: 'confidential' as const,
  distribution: 'private' as const,
  redirect_uris: ['https://notes.example/cb?a=$HOME&b=`id`'],
  scopes: ['tasks:read' as const, 'comments:write' as const],
  secret_hint: 'abcd',
  created_by_id: 'usr_00000000000000000000000002',
  created_at: '2026-03-12T10:00:00.000Z',
  updated_at: '2026-03-12T10:00:00.000Z',
}

test('the OAuth commands run in a shell with the registered redirect URI and scopes', () => {
  const text = formatOAuthCommands(application, 'http://docket.example', 'dcs_x')
  // curl is replaced by printf, so the arguments are printed and nothing is sent.
  const script = text.replace('curl ', 'printf "%s\\n" "$VERIFIER" ')
  const [url = '', verifier = '', ...curlArguments] = execFileSync('sh', ['-c', script], {
    encoding: 'utf8',
  }).split('\n')
  const { searchParams } = new URL(url)
  assert.equal(searchParams.get('redirect_uri'), application.redirect_uris[0])
  assert.equal(searchParams.get('scope'), 'tasks:read comments:write')
  assert.equal(
    searchParams.get('code_challenge'),
    createHash('sha256').update(verifier).digest('base64url'),
  )
  assert.ok(curlArguments.includes('http://docket.example/oauth/token'))
  assert.ok(curlArguments.includes(`${application.id}:dcs_x`))
  assert.ok(curlArguments.includes(`redirect_uri=${application.redirect_uris[0]}`))
  assert.ok(curlArguments.includes(`code_verifier=${verifier}`))
})

test('the OAuth commands of a public application contain no secret', () => {
  const text = formatOAuthCommands({ ...application, type: 'public' }, 'http://docket.example')
  assert.match(text, /-d client_id=app_/)
  assert.doesNotMatch(text, /SECRET/)
})

test('describes scopes by resource', () => {
  assert.equal(
    describeScopes(['tasks:delete', 'tasks:read', 'tasks:write', 'time_entries:read']),
    'Tasks: read, write and delete; Time entries: read',
  )
})
