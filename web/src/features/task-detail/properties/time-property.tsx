import { startTimer, stopTimer, useTimer } from '../../../data/resources/timer.ts'
import { isTaskFinished } from '../../../data/tasks/task-patch.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button } from '../../../ui/form/button.tsx'
import { ElapsedTime } from '../../timer/index.ts'
import { useOpenTask } from '../open-task-context.ts'
import { useBlockReasons } from '../use-block-reasons.ts'
import { PropertyRow } from './property-row.tsx'

/** Time spent against the estimate, and the timer. */
export function TimeProperty() {
  const { task } = useOpenTask()
  const { write } = useBlockReasons()
  const runningTimer = useTimer()
  const isRunning = runningTimer?.task.id === task.id
  const { time_spent_seconds: spent, estimate_seconds: estimate } = task
  const remaining = estimate === null ? undefined : estimate - spent
  return (
    <PropertyRow
      label={taskDetailMessages.time}
      empty={spent === 0 && estimate === null && !isRunning}
    >
      <span className="mono">
        <span className={remaining !== undefined && remaining < 0 ? 'bad' : undefined}>
          {formatDuration(spent)}
        </span>
        {estimate !== null && ` / ${formatDuration(estimate)}`}
      </span>
      {remaining !== undefined && !(isTaskFinished(task) && remaining >= 0) && (
        <span className={remaining < 0 ? 'bad' : 'quiet'}>
          {remaining < 0
            ? taskDetailMessages.over(formatDuration(-remaining))
            : taskDetailMessages.left(formatDuration(remaining))}
        </span>
      )}
      <Button
        kind="plain"
        icon={isRunning ? 'stop' : 'play'}
        data-does="timer"
        aria-label={isRunning ? taskDetailMessages.stopTimer : taskDetailMessages.startTimer}
        title={isRunning ? taskDetailMessages.stopTimer : taskDetailMessages.startTimer}
        reason={isRunning ? undefined : write}
        onClick={() => (isRunning ? stopTimer() : startTimer(task))}
      >
        {isRunning && <ElapsedTime since={runningTimer.entry.started_at} />}
      </Button>
    </PropertyRow>
  )
}
