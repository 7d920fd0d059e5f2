import { changeTask } from '../../../data/task-writes.ts'
import { formatDuration, parseDuration } from '../../../lib/duration.ts'
import { m } from '../../../messages/task.ts'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { useEmptyWord } from './bare.ts'
import { InlineText } from './inline-text.tsx'
import { Prop } from './prop.tsx'

export function EstimateProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const { estimate_seconds: estimate } = task
  const empty = useEmptyWord(m.estimate)
  const words = estimate === null ? m.none : formatDuration(estimate)
  const save = (typed: string): string | undefined => {
    const empty = typed.trim() === ''
    const estimate_seconds = empty ? null : parseDuration(typed)
    if (estimate_seconds === undefined) return m.notDuration
    if (estimate_seconds === estimate) return
    const label =
      estimate_seconds === null
        ? m.cleared(task.short_id, m.estimate)
        : m.took(task.short_id, m.estimate, formatDuration(estimate_seconds))
    changeTask(task.id, { estimate_seconds }, { label, from: task })
    return
  }
  return (
    <Prop label={m.estimate} fields={['estimate_seconds']}>
      <InlineText
        does="estimate"
        label={m.changeOf(m.estimate, words)}
        value={estimate === null ? '' : words}
        hint={m.estimateHint}
        reason={write}
        onSave={save}
      >
        {estimate === null ? <span className="quiet">{empty}</span> : words}
      </InlineText>
    </Prop>
  )
}
