/** A message from a worker to its parent process. */
export type WorkerMessage =
  | { type: 'result'; result: TestResult }
  /** All tests of the file have ended. `cpuMs` counts from the start of the worker. */
  | { type: 'file-end'; file: string; milliseconds: number; cpuMs: number }

/** The next file to run; null ends the worker. */
export interface WorkerTask {
  file: string | null
  /** The directory for the logs of the servers that the file starts. */
  logs: string
}

/** The result of one test. */
export interface TestResult {
  file: string
  /** The titles of the enclosing suites and of the test. */
  title: string
  isPassed: boolean
  isSkipped: boolean
  milliseconds: number
  /** The error with its stack, if the test failed. */
  error?: string
  /** Messages from `t.diagnostic`, such as the paths of traces and logs. */
  diagnostics: string[]
}

/** Sends a message from a worker to its parent process. */
export const sendToParent = (message: WorkerMessage): void => {
  process.send?.(message)
}

/** A failure of a file that belongs to none of its tests. */
export const createFailureResult = (file: string, title: string, error: string): TestResult => ({
  file,
  title,
  error,
  diagnostics: [],
  isPassed: false,
  isSkipped: false,
  milliseconds: 0,
})
