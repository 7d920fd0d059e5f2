import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chordOf, find, isSingle, type Shortcut, shownKeys } from './chords.ts'

const press = (
  key: string,
  held: Partial<Record<'ctrl' | 'meta' | 'alt' | 'shift', true>> = {},
) => ({
  key,
  ctrlKey: held.ctrl ?? false,
  metaKey: held.meta ?? false,
  altKey: held.alt ?? false,
  shiftKey: held.shift ?? false,
})
const shortcut = (keys: string, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  label: keys,
  run: () => undefined,
  ...more,
})
const all = () => true

test('a press has one name on every keyboard', () => {
  assert.equal(chordOf(press('k', { ctrl: true }), false), 'mod+k')
  assert.equal(chordOf(press('k', { meta: true }), true), 'mod+k')
  assert.equal(chordOf(press('k', { ctrl: true }), true), 'other+k')
  assert.equal(chordOf(press('C', { shift: true }), false), 'shift+c')
  assert.equal(chordOf(press('?', { shift: true }), false), '?')
  assert.equal(chordOf(press('#'), false), '#')
  assert.equal(chordOf(press(' '), false), 'space')
  assert.equal(chordOf(press('ArrowUp', { alt: true, shift: true }), false), 'alt+shift+arrowup')
})

test('the newest table that has a key wins, unless it means nothing there now', () => {
  const below = shortcut('x')
  const above = shortcut('x', { when: () => false })
  assert.equal(find([[below], [above]], 'x', undefined, all).shortcut, below)
  const [low, high] = [shortcut('e'), shortcut('e')]
  assert.equal(find([[low], [high]], 'e', undefined, all).shortcut, high)
  assert.equal(find([[low]], 'shift+e', undefined, all).shortcut, undefined)
})

test('two keys in turn are one shortcut, and the second is not also its own', () => {
  const tables = [[shortcut('p'), shortcut('g p')]]
  assert.deepEqual(find(tables, 'g', undefined, all), { shortcut: undefined, prefix: 'g' })
  assert.equal(find(tables, 'p', 'g', all).shortcut?.keys, 'g p')
  assert.deepEqual(find(tables, 'q', 'g', all), { shortcut: undefined, prefix: undefined })
})

test('keys that can be switched off are those that a voice could type', () => {
  assert.deepEqual(['c', 'shift+c', '?', 'g p', 'space'].map(isSingle), [
    true,
    true,
    true,
    true,
    true,
  ])
  assert.deepEqual(['mod+k', 'enter', 'alt+arrowup', 'escape'].map(isSingle), [
    false,
    false,
    false,
    false,
  ])
  const kept = find([[shortcut('mod+k|c')]], 'c', undefined, (_, keys) => !isSingle(keys))
  assert.equal(kept.shortcut, undefined)
})

test('keys are shown as they stand on the keyboard', () => {
  assert.deepEqual(
    ['mod+enter', 'g p', 'shift+e', 'alt+arrowup', 'mod+k|/', '+'].map((keys) =>
      shownKeys(keys, false),
    ),
    ['Ctrl Enter', 'G P', 'Shift E', 'Alt ↑', 'Ctrl K', '+'],
  )
  assert.equal(shownKeys('mod+enter', true), '⌘ Enter')
})
