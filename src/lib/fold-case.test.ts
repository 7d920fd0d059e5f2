import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '#test/support/data/code-points.ts'
import { assertLinearTime } from '#test/support/system/cpu-time.ts'
import { codePointLength, foldCase } from './fold-case.ts'

const anyText = fc.string({ unit: anyCodePoint })

test('folds texts that look alike to the same text', () => {
  assert.equal(foldCase('E\u0301COLE'), 'école')
  assert.equal(foldCase('\u212bngstro\u0308m'), foldCase('ÅNGSTRÖM'))
  assert.equal(foldCase('TITLE I'), 'title i')
  assert.notEqual(foldCase('école'), foldCase('ecole'))
})

test('only normalizes to NFC and lower case', () => {
  fc.assert(fc.property(anyText, (text) => foldCase(text) === text.normalize('NFC').toLowerCase()))
})

test('folds a letter with 65,535 combining marks in linear time', () => {
  const worst = (length: number) =>
    `a${'\u0301'.repeat(length / 2 - 1)}${'\u0316'.repeat(length / 2)}`
  assert.ok(foldCase(worst(65_536)).length >= 65_535)
  assertLinearTime(foldCase, worst, 65_536)
})

test('counts length in code points', () => {
  assert.equal(codePointLength('a😀é'), 3)
  assert.equal(codePointLength('\ude00\ud83d'), 2)
  fc.assert(fc.property(anyText, (text) => codePointLength(text) === [...text].length))
})
