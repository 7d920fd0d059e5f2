import { test } from 'node:test'

test('this test passes, and what it has begun fails later', () => {
  setTimeout(() => {
    throw new Error('too late')
  }, 20)
})

test('this test is there when it fails', () => new Promise((resolve) => setTimeout(resolve, 100)))
