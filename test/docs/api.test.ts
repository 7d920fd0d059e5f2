import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf, shows } from './blocks.ts'
import { commandsIn, newSession } from './session.ts'

const DOCUMENT = 'docs/api.md'
const SHOWN = new Set(['json', 'http', 'text'])

test('every command of the API guide does what the guide shows', async (t) => {
  const session = await newSession(t)
  let output = ''
  for (const { language, line, text } of blocksOf(DOCUMENT)) {
    const where = `${DOCUMENT}:${line}`
    if (language === 'sh') {
      for (const command of commandsIn(text)) output = await session.typed(command, where)
    } else if (language === 'js') {
      output = await session.ran(text, where)
    } else {
      assert.ok(
        SHOWN.has(language),
        `${where}: a block of ${language || 'no language'} is not tested`,
      )
      const shown = shows({ language, line, text }, output)
      assert.ok(shown, `${where} shows\n${text}\nbut there came\n${output}`)
    }
  }
})
