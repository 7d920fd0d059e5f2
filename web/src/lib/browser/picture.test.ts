import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectPictureType, isPictureType } from './picture.ts'

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
