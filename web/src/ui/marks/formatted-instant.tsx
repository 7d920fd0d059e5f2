import {
  formatDayTime,
  formatFullInstant,
  formatGutterInstant,
  formatRelative,
  formatTime,
  type Instant,
} from '../../lib/dates/instant.ts'
import { useTimedText } from '../../lib/dates/use-clock.ts'

const FORMATTERS = {
  ago: formatRelative,
  day: formatDayTime,
  gutter: formatGutterInstant,
  time: formatTime,
}

/**
 * An instant in the viewer's time zone; hovering shows it in full with its offset. What it says
 * relative to now stays true.
 */
export function FormattedInstant({
  at,
  style = 'ago',
}: {
  at: Instant
  style?: keyof typeof FORMATTERS
}) {
  return (
    <time dateTime={at} title={formatFullInstant(at)}>
      {useTimedText(() => FORMATTERS[style](at))}
    </time>
  )
}
