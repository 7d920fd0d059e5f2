import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HUES, nearestHue } from './hue.ts'
import { getPastedFiles } from './pasted-files.ts'
import { detectPictureType, isPictureType } from './picture.ts'

const paste = (text: string, ...names: string[]) =>
  getPastedFiles({
    files: names.map((name) => new File(['x'], name)),
    getData: (type) => (type === 'text/plain' ? text : ''),
  }).map(({ name }) => name)

test('a paste has the files of a screenshot and of a file manager, which adds their names', () => {
  assert.deepEqual(paste('', 'image.png'), ['image.png'])
  assert.deepEqual(paste('one.txt', 'one.txt'), ['one.txt'])
  assert.deepEqual(paste('/home/mei/one.txt\n/home/mei/two.txt\n', 'one.txt', 'two.txt'), [
    'one.txt',
    'two.txt',
  ])
})

test('a paste of cells or paragraphs is text, although the program adds a picture of them', () => {
  assert.deepEqual(paste('Name\tHours\r\nMei\t3\r\n', 'image.png'), [])
  assert.deepEqual(paste('12', 'image.png'), [])
})

const bytes = (...parts: (string | number)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part)),
  )

test('detects the four image types by their bytes, whatever the declared type', () => {
  assert.equal(detectPictureType(bytes(0x89, 'PNG\r\n', 0x1a, '\n....')), 'image/png')
  assert.equal(detectPictureType(bytes(0xff, 0xd8, 0xff, 0xe0)), 'image/jpeg')
  assert.equal(detectPictureType(bytes('GIF89a')), 'image/gif')
  assert.equal(detectPictureType(bytes('RIFF', 1, 2, 3, 4, 'WEBPVP8 ')), 'image/webp')
  assert.equal(detectPictureType(bytes('RIFX', 1, 2, 3, 4, 'WEBPVP8 ')), undefined)
  assert.equal(detectPictureType(bytes('<svg xmlns="http://www.w3.org/2000/svg">')), undefined)
  assert.equal(detectPictureType(bytes('<html>')), undefined)
  assert.equal(detectPictureType(bytes()), undefined)
  assert.equal(detectPictureType(bytes('RIFF')), undefined)
})

test('accepts the declared types of supported images only', () => {
  assert.equal(isPictureType('image/PNG'), true)
  assert.equal(isPictureType('image/svg+xml'), false)
  assert.equal(isPictureType('text/html'), false)
})

test("maps a colour to the nearest hue, and each hue's own colour to itself", () => {
  for (const [hue, color] of Object.entries(HUES)) assert.equal(nearestHue(color), Number(hue))
  assert.deepEqual(
    ['#ff0000', '#0000ff', '#00ff00', '#888888', '#FFB000', '#b25977'].map(nearestHue),
    [25, 255, 130, 255, 70, 345],
  )
})
