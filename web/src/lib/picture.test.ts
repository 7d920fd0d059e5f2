import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBePicture, pictureType } from './picture.ts'

const bytes = (...parts: (string | number)[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part)),
  )

test('only bytes of the four kinds are a picture, whatever a file calls itself', () => {
  assert.equal(pictureType(bytes(0x89, 'PNG\r\n', 0x1a, '\n....')), 'image/png')
  assert.equal(pictureType(bytes(0xff, 0xd8, 0xff, 0xe0)), 'image/jpeg')
  assert.equal(pictureType(bytes('GIF89a')), 'image/gif')
  assert.equal(pictureType(bytes('RIFF', 1, 2, 3, 4, 'WEBPVP8 ')), 'image/webp')
  assert.equal(pictureType(bytes('RIFX', 1, 2, 3, 4, 'WEBPVP8 ')), undefined)
  assert.equal(pictureType(bytes('<svg xmlns="http://www.w3.org/2000/svg">')), undefined)
  assert.equal(pictureType(bytes('<html>')), undefined)
  assert.equal(pictureType(bytes()), undefined)
  assert.equal(pictureType(bytes('RIFF')), undefined)
})

test('what calls itself anything else is not fetched', () => {
  assert.equal(mayBePicture('image/PNG'), true)
  assert.equal(mayBePicture('image/svg+xml'), false)
  assert.equal(mayBePicture('text/html'), false)
})
