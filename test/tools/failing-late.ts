import { test } from 'node:test'

test('this test passes, and its timer throws later', () => {
  setTimeout(() => {
    throw new Error('too late')
  }, 20)
})

test('this test runs when the timer throws', () =>
  new Promise((resolve) => setTimeout(resolve, 100)))
