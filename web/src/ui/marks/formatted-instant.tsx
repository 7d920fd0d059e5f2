import {
  formatDayTime,
  formatFullInstant,
  formatGutterInstant,
  formatRelative,
  formatTime,
  type Instant,
} from '../../lib/dates/instant.ts'

const FORMATTERS = {
  ago: formatRelative,
  day: formatDayTime,
  gutter: formatGutterInstant,
  time: formatTime,
}

/** An instant in the viewer's time zone; hovering shows it in full with its offset. */
export function FormattedInstant({
  at,
  style = 'ago',
}: {
  at: Instant
  style?: keyof typeof FORMATTERS
}) {
  return (
    <time dateTime={at} title={formatFullInstant(at)}>
      {FORMATTERS[style](at)}
    </time>
  )
}
