import { agoOf, dayTimeOf, fullOf, gutterOf, type Instant, timeOf } from '../lib/instant.ts'

const STYLES = { ago: agoOf, day: dayTimeOf, gutter: gutterOf, time: timeOf }

/** An instant in the viewer's zone; the whole of it, with the offset, on hover. */
export function Moment({ at, style = 'ago' }: { at: Instant; style?: keyof typeof STYLES }) {
  return (
    <time dateTime={at} title={fullOf(at)}>
      {STYLES[style](at)}
    </time>
  )
}
