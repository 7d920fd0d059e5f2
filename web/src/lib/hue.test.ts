import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HUES, hueOf } from './hue.ts'

test('a colour gets the hue that is nearest, and each hue finds itself', () => {
  for (const [hue, color] of Object.entries(HUES)) assert.equal(hueOf(color), Number(hue))
  assert.deepEqual(
    ['#ff0000', '#0000ff', '#00ff00', '#888888', '#FFB000', '#b25977'].map(hueOf),
    [25, 255, 130, 255, 70, 345],
  )
})
