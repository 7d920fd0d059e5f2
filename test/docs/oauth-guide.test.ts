import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { signInPerson } from '#test/support/world/signed-in-person.ts'
import { SCOPE_DESCRIPTIONS } from '#wire/scopes.ts'
import { findFreePort } from '../support/system/free-port.ts'
import { matchesOutput, readCodeBlocks } from './code-blocks.ts'
import { startReaderSession } from './reader-session.ts'

const DOCUMENT = 'docs/guides/oauth.md'
/** The callback addresses of the guide's applications; nothing listens there. */
const CALLBACK_ORIGINS = ['http://127.0.0.1:3000', 'http://127.0.0.1:51004'] as const
const AUTHORIZE = /^http\S+\/oauth\/authorize\?\S+$/

test('every command of docs/guides/oauth.md prints what the guide shows', async (t) => {
  const ports = await Promise.all(CALLBACK_ORIGINS.map(findFreePort))
  const replacements = CALLBACK_ORIGINS.map(
    (named, at) => [named, `http://127.0.0.1:${ports[at]}`] as const,
  )
  const session = await startReaderSession(t, Object.fromEntries(replacements))
  const ada = await signInPerson(session.url, 'ada@example.com', session.owner_password)
  let output = ''
  for (const block of readCodeBlocks(DOCUMENT)) {
    const where = `${DOCUMENT}:${block.line}`
    if (block.language === 'sh') {
      output = await session.runShell(block.text, where)
      if (!AUTHORIZE.test(output.trim())) continue
      // The reader opens the address in a browser, allows the request and copies the callback.
      output = (await ada.open(output.trim())).address.href
      session.addOutput(output)
    } else {
      const { language, text } = block
      assert.match(language, /^(json|http|text)$/, `${where}: a block of ${language} is not tested`)
      const isShown = matchesOutput({ ...block, text: session.fillInAddresses(text) }, output)
      assert.ok(isShown, `${where} shows\n${text}\nbut there came\n${output}`)
    }
  }
})

test('docs/guides/oauth.md lists all scopes with the descriptions of the consent page', () => {
  const rows = readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `(\w+:\w+)` \| (.*) \|$/gm)
  assert.deepEqual(Object.fromEntries([...rows].map(([, name, words]) => [name, words])), {
    ...SCOPE_DESCRIPTIONS,
  })
})
