import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPassword } from '#lib/token.ts'
import { validatePassword } from './password-policy.ts'

const codeOf = (password: string) => validatePassword('password', password)?.code

test('accepts 10 to 256 characters, counted in code points', () => {
  assert.equal(codeOf('🦆🐝🐌🐙🦀🦎🐢🦉🐧'), 'too_short')
  assert.equal(codeOf('🦆🐝🐌🐙🦀🦎🐢🦉🐧🐬'), undefined)
  assert.equal(codeOf(`${'corner lamp '.repeat(21)}abcd`), undefined)
  assert.equal(codeOf(`${'corner lamp '.repeat(21)}abcde`), 'too_long')
})

test('rejects lone surrogates', () => {
  assert.equal(codeOf('correct horse \ud800'), 'invalid_characters')
})

test('rejects common passwords', () => {
  const common = [
    'password123',
    'Password Password',
    'P@ssw0rd123!',
    'iloveyou12',
    'welcome2026!',
    '1234567890',
    '9876543210',
    'qwertyuiop',
    '1q2w3e4r5t',
    'aaaaaaaaaaaa',
    'ababababab',
    '2023-2024-2025',
    'administrator1',
    'letmein!!!',
    'qwertyqwerty',
  ]
  for (const password of common) assert.equal(codeOf(password), 'invalid_value', password)
})

test('accepts uncommon passwords and all generated ones', () => {
  for (const password of ['correct horse battery', 'winter is long here', 'tr0ub4dor&3']) {
    assert.equal(codeOf(password), undefined, password)
  }
  for (let i = 0; i < 500; i++) assert.equal(codeOf(newPassword()), undefined)
})
