import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPassword } from '#lib/token.ts'
import { assertLinear } from '#test/support/cpu.ts'
import { faultOfPassword } from './password-rule.ts'

const codeOf = (password: string) => faultOfPassword('password', password)?.code

test('a password has 10 to 256 characters, counted as code points', () => {
  assert.equal(codeOf('🦆🐝🐌🐙🦀🦎🐢🦉🐧'), 'too_short')
  assert.equal(codeOf('🦆🐝🐌🐙🦀🦎🐢🦉🐧🐬'), undefined)
  assert.equal(codeOf(`${'corner lamp '.repeat(21)}abcd`), undefined)
  assert.equal(codeOf(`${'corner lamp '.repeat(21)}abcde`), 'too_long')
})

test('half a surrogate pair is no character', () => {
  assert.equal(codeOf('correct horse \ud800'), 'invalid_characters')
})

test('what everybody tries first is no password', () => {
  const common = [
    ...['password123', 'Password Password', 'P@ssw0rd123!', 'iloveyou12', 'welcome2026!'],
    ...['1234567890', '9876543210', 'qwertyuiop', '1q2w3e4r5t', 'aaaaaaaaaaaa', 'ababababab'],
    ...['2023-2024-2025', 'administrator1', 'letmein!!!', 'qwertyqwerty'],
  ]
  for (const password of common) assert.equal(codeOf(password), 'invalid_value', password)
})

test('what is not among them is taken, and what is made always is', () => {
  for (const password of ['correct horse battery', 'winter is long here', 'tr0ub4dor&3']) {
    assert.equal(codeOf(password), undefined, password)
  }
  for (let made = 0; made < 500; made++) assert.equal(codeOf(newPassword()), undefined)
})

test('the worst password takes time in proportion to its length', () => {
  assertLinear(codeOf, (length) => `${'abcd'.repeat(length / 4 - 1)}k`, 256)
})
