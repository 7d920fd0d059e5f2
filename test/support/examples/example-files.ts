import { EXAMPLE_BASE_URL, JSON_SAMPLES } from '#http/openapi/recorded-examples.ts'
import type { ExampleRecording } from './record-examples.ts'

/** The guide that shows an event of each type. */
export const EVENT_GUIDE = 'docs/guides/event-types.md'

/** The JSON files of a recording, by their path in the folder of the examples. */
export const toExampleFiles = ({ operations }: ExampleRecording): Map<string, object> =>
  new Map(
    Array.from(operations, ([tag, examples]) => [
      `operations/${tag.toLowerCase().replaceAll(' ', '-')}.json`,
      examples,
    ]),
  )

/** Replaces the event in each sample of the guide by the one of its type. */
export function replaceEventSamples(markdown: string, { events }: ExampleRecording): string {
  return markdown.replace(JSON_SAMPLES, (sample) => {
    const { type }: { type: string } = JSON.parse(sample)
    const text = JSON.stringify(events[type], null, 2)
    return `${text.replaceAll(EXAMPLE_BASE_URL, '{{base_url}}')}\n`
  })
}
