import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { personAt } from '#test/support/person.ts'
import { SCOPE_WORDS } from '#wire/scopes.ts'
import { freePort } from '../support/port.ts'
import { type Block, blocksOf, shows } from './blocks.ts'
import { newSession } from './session.ts'

const DOCUMENT = 'docs/oauth.md'
const DOCKET = 'http://127.0.0.1:4000'
/** Where the guide's applications would listen; nobody does. */
const BACK = ['http://127.0.0.1:3000', 'http://127.0.0.1:51004'] as const
const AUTHORIZE = /^http\S+\/oauth\/authorize\?\S+$/

test('every command of the guide to OAuth does what the guide shows', async (t) => {
  const ports = await Promise.all(BACK.map(freePort))
  const instead = BACK.map((named, at) => [named, `http://127.0.0.1:${ports[at]}`] as const)
  const session = await newSession(t, Object.fromEntries(instead))
  const ada = await personAt(session.url, 'ada@example.com', session.owner_password)
  const addressed = ({ text, ...block }: Block): Block => ({
    ...block,
    text: [DOCKET, ...BACK].reduce((text, named) => {
      return text.replaceAll(named, session.filled(named, DOCUMENT))
    }, text),
  })
  let output = ''
  for (const block of blocksOf(DOCUMENT)) {
    const where = `${DOCUMENT}:${block.line}`
    if (block.language === 'sh') {
      output = await session.typed(block.text, where)
      if (!AUTHORIZE.test(output.trim())) continue
      // The reader opens it in a browser, allows it, and looks at the address.
      output = (await ada.open(output.trim())).address.href
      session.saw(output)
    } else {
      const { language } = block
      assert.match(language, /^(json|http|text)$/, `${where}: a block of ${language} is not tested`)
      const shown = shows(addressed(block), output)
      assert.ok(shown, `${where} shows\n${block.text}\nbut there came\n${output}`)
    }
  }
})

test('the scopes that the guide lists are those of Docket, in the words of the page of consent', () => {
  const rows = readFileSync(DOCUMENT, 'utf8').matchAll(/^\| `(\w+:\w+)` \| (.*) \|$/gm)
  assert.deepEqual(Object.fromEntries([...rows].map(([, name, words]) => [name, words])), {
    ...SCOPE_WORDS,
  })
})
