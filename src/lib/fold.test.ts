import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertLinear } from '#test/support/cpu.ts'
import { fold, lengthOf } from './fold.ts'

const anyText = fc.string({ unit: 'binary' })

test('texts that look alike fold alike', () => {
  assert.equal(fold('E\u0301COLE'), 'école')
  assert.equal(fold('\u212bngstro\u0308m'), fold('ÅNGSTRÖM'))
  assert.equal(fold('TITLE I'), 'title i')
  assert.notEqual(fold('école'), fold('ecole'))
})

test('folding is NFC and lower case, and nothing else', () => {
  fc.assert(fc.property(anyText, (text) => fold(text) === text.normalize('NFC').toLowerCase()))
})

test('a letter with 65,535 marks in the worst order takes time in proportion to their number', () => {
  const worst = (length: number) =>
    `a${'\u0301'.repeat(length / 2 - 1)}${'\u0316'.repeat(length / 2)}`
  assert.ok(fold(worst(65_536)).length >= 65_535)
  assertLinear(fold, worst, 65_536)
})

test('a length is counted in code points', () => {
  assert.equal(lengthOf('a😀é'), 3)
  assert.equal(lengthOf('\ude00\ud83d'), 2)
  fc.assert(fc.property(anyText, (text) => lengthOf(text) === [...text].length))
})
