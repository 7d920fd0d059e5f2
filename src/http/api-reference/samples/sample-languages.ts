import { writeCurlSample } from './curl-sample.ts'
import { writeGoSample } from './go-sample.ts'
import { writePythonSample } from './python-sample.ts'
import type { SampleRequest } from './sample-request.ts'
import { writeTypeScriptSample } from './typescript-sample.ts'

/** A language of the samples; the first one is shown until the reader chooses another. */
export interface SampleLanguage {
  readonly id: string
  readonly name: string
  readonly write: (request: SampleRequest) => string
}

export const SAMPLE_LANGUAGES: readonly SampleLanguage[] = [
  { id: 'curl', name: 'curl', write: writeCurlSample },
  { id: 'typescript', name: 'TypeScript', write: writeTypeScriptSample },
  { id: 'python', name: 'Python', write: writePythonSample },
  { id: 'go', name: 'Go', write: writeGoSample },
]
