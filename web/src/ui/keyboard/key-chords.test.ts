import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatKeyChord,
  isSingleKey,
  matchShortcut,
  type Shortcut,
  toKeyChord,
} from './key-chords.ts'

const press = (
  key: string,
  modifiers: Partial<Record<'ctrl' | 'meta' | 'alt' | 'shift' | 'altGraph', true>> = {},
  code = '',
) => ({
  key,
  code,
  getModifierState: () => modifiers.altGraph ?? false,
  ctrlKey: modifiers.ctrl ?? false,
  metaKey: modifiers.meta ?? false,
  altKey: modifiers.alt ?? false,
  shiftKey: modifiers.shift ?? false,
})
const shortcut = (keys: string, more: Partial<Shortcut> = {}): Shortcut => ({
  keys,
  label: keys,
  run: () => undefined,
  ...more,
})
const allowAll = () => true

test('a key press has the same chord on every platform', () => {
  assert.equal(toKeyChord(press('k', { ctrl: true }), false), 'mod+k')
  assert.equal(toKeyChord(press('k', { meta: true }), true), 'mod+k')
  assert.equal(toKeyChord(press('k', { ctrl: true }), true), 'other+k')
  assert.equal(toKeyChord(press('C', { shift: true }), false), 'shift+c')
  assert.equal(toKeyChord(press('?', { shift: true }), false), '?')
  assert.equal(toKeyChord(press('#'), false), '#')
  assert.equal(toKeyChord(press(' '), false), 'space')
  assert.equal(toKeyChord(press('ArrowUp', { alt: true, shift: true }), false), 'alt+shift+arrowup')
})

test('characters that need AltGr or Option on a layout are the same shortcuts', () => {
  const onWindows = press('[', { ctrl: true, alt: true, altGraph: true }, 'Digit8')
  assert.equal(toKeyChord(onWindows, false), '[')
  assert.equal(toKeyChord(press('[', { altGraph: true }, 'Digit8'), false), '[')
  assert.equal(toKeyChord(press('[', { alt: true }, 'Digit5'), true), '[')
  assert.equal(toKeyChord(press('[', { ctrl: true, alt: true }), false), 'mod+alt+[')
  assert.equal(toKeyChord(press('/', { shift: true }, 'Digit7'), false), '/')
})

test('letters of other scripts are those at their place, and umlauts are themselves', () => {
  assert.equal(toKeyChord(press('о', {}, 'KeyJ'), false), 'j')
  assert.equal(toKeyChord(press('О', { shift: true }, 'KeyJ'), false), 'shift+j')
  assert.equal(toKeyChord(press('π', { alt: true }, 'KeyP'), true), 'alt+p')
  assert.equal(toKeyChord(press('z', { ctrl: true }, 'KeyY'), false), 'mod+z')
  assert.equal(toKeyChord(press('ö', {}, 'Semicolon'), false), 'ö')
})

test('the last table with a shortcut wins, unless its condition is false', () => {
  const below = shortcut('x')
  const above = shortcut('x', { when: () => false })
  assert.equal(matchShortcut([[below], [above]], 'x', undefined, allowAll).shortcut, below)
  const [low, high] = [shortcut('e'), shortcut('e')]
  assert.equal(matchShortcut([[low], [high]], 'e', undefined, allowAll).shortcut, high)
  assert.equal(matchShortcut([[low]], 'shift+e', undefined, allowAll).shortcut, undefined)
})

test('a two-key sequence runs one shortcut, not the shortcut of its second key', () => {
  const tables = [[shortcut('p'), shortcut('g p')]]
  assert.deepEqual(matchShortcut(tables, 'g', undefined, allowAll), {
    shortcut: undefined,
    prefix: 'g',
  })
  assert.equal(matchShortcut(tables, 'p', 'g', allowAll).shortcut?.keys, 'g p')
  assert.deepEqual(matchShortcut(tables, 'q', 'g', allowAll), {
    shortcut: undefined,
    prefix: undefined,
  })
})

test('single-key shortcuts, which dictation could trigger, can be turned off', () => {
  assert.deepEqual(['c', 'shift+c', '?', 'g p', 'space'].map(isSingleKey), [
    true,
    true,
    true,
    true,
    true,
  ])
  assert.deepEqual(['mod+k', 'enter', 'alt+arrowup', 'escape'].map(isSingleKey), [
    false,
    false,
    false,
    false,
  ])
  const match = matchShortcut(
    [[shortcut('mod+k|c')]],
    'c',
    undefined,
    (_, keys) => !isSingleKey(keys),
  )
  assert.equal(match.shortcut, undefined)
})

test('formats shortcuts as keyboards label them', () => {
  assert.deepEqual(
    ['mod+enter', 'g p', 'shift+e', 'alt+arrowup', 'mod+k|/', '+', 'home', 'space'].map((keys) =>
      formatKeyChord(keys, false),
    ),
    ['Ctrl Enter', 'G P', 'Shift E', 'Alt ↑', 'Ctrl K', '+', 'Home', 'Space'],
  )
  assert.equal(formatKeyChord('mod+enter', true), '⌘ Enter')
})
