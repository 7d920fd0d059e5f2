import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HUES, nearestHue } from './hue.ts'

test("maps a colour to the nearest hue, and each hue's own colour to itself", () => {
  for (const [hue, color] of Object.entries(HUES)) assert.equal(nearestHue(color), Number(hue))
  assert.deepEqual(
    ['#ff0000', '#0000ff', '#00ff00', '#888888', '#FFB000', '#b25977'].map(nearestHue),
    [25, 255, 130, 255, 70, 345],
  )
})
