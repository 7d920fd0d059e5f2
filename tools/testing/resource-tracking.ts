import { AsyncResource, createHook } from 'node:async_hooks'

const prototype: ReturnType<typeof createHook> = Object.getPrototypeOf(createHook({}))
const { enable } = prototype
let testHook: ReturnType<typeof createHook> | undefined

// Node's test runner does not hand out its hook, which it enables with the first test.
prototype.enable = function (this: ReturnType<typeof createHook>) {
  testHook = this
  prototype.enable = enable
  return enable.call(this)
}

const runnerScope = new AsyncResource('test-worker')

/**
 * Declares tests, which needs the async hook of node:test: it finds the suite of a test by the
 * promise that declares it. The hook costs a third of the processor time of all tests, because it
 * follows every promise, so `stopTracking` ends it once all tests of a file are declared. From then
 * on `test` and `after` of node:test cannot be called, and an error that no test catches fails the
 * file instead of a test.
 */
export function trackDeclarations<T>(declare: () => T): T {
  testHook?.enable()
  // What the previous file has left behind must not be taken for the parent of the next one.
  return runnerScope.runInAsyncScope(declare)
}

export const stopTracking = (): unknown => testHook?.disable()
