import { EXAMPLE_BASE_URL } from '#http/openapi/recorded-examples.ts'
import type { ExampleRecording } from './record-examples.ts'

/** The guide that shows an event of each type. */
export const EVENT_GUIDE = 'docs/guides/event-types.md'

/** The JSON files of a recording, by their path in the folder of the examples. */
export function toExampleFiles({ operations, events }: ExampleRecording): Map<string, object> {
  const files = new Map<string, object>([['events.json', events]])
  for (const [tag, examples] of operations) {
    files.set(`operations/${tag.toLowerCase().replaceAll(' ', '-')}.json`, examples)
  }
  return files
}

/** Replaces the event in each sample of the guide by the one of its type. */
export function replaceEventSamples(markdown: string, { events }: ExampleRecording): string {
  return markdown.replace(/(?<=^```json\n)[\s\S]*?(?=^```$)/gm, (sample) => {
    const { type }: { type: string } = JSON.parse(sample)
    const text = JSON.stringify(events[type], null, 2)
    return `${text.replaceAll(EXAMPLE_BASE_URL, '{{base_url}}')}\n`
  })
}
