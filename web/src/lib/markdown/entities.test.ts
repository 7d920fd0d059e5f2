import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeNamedCharacterReference as decoded } from './entities.ts'

test('decodes named character references and leaves unknown names as they are', () => {
  const names = {
    amp: '&',
    lt: '<',
    nbsp: '\u00a0',
    yuml: 'ÿ',
    eacute: 'é',
    Omega: 'Ω',
    hellip: '…',
  }
  for (const [name, character] of Object.entries({
    ...names,
    euro: '€',
    diams: '♦',
    lbrack: '[',
  })) {
    assert.equal(decoded(name), character, name)
  }
  assert.equal(decoded('nothing'), false)
  assert.equal(decoded('constructor'), false)
})
