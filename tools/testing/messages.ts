/** What a worker tells the process that started it. */
export type WorkerMessage =
  | { type: 'result'; result: TestResult }
  /** All tests of its file have ended. */
  | { type: 'file-end'; file: string; milliseconds: number }

/** The next file to run; none: end. */
export interface WorkerTask {
  file: string | null
  /** Where the servers that it starts write their logs. */
  logs: string
}

/** How one test ended. */
export interface TestResult {
  file: string
  /** Its title, after those of the tests around it. */
  title: string
  isPassed: boolean
  isSkipped: boolean
  milliseconds: number
  /** What failed, with its stack; of a passed test nothing. */
  error?: string
  /** What the test has said by `t.diagnostic`: the paths of its traces and logs. */
  diagnostics: string[]
}

/** Sends it from a worker. */
export const send = (message: WorkerMessage): void => {
  process.send?.(message)
}

/** What failed of a file and belongs to none of its tests. */
export const failureOf = (file: string, title: string, error: string): TestResult => ({
  ...{ file, title, error, diagnostics: [] },
  ...{ isPassed: false, isSkipped: false, milliseconds: 0 },
})
