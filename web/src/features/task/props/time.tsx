import { startTimer, stopTimer, useTimer } from '../../../data/timer.ts'
import { clockOf } from '../../../lib/duration.ts'
import { m } from '../../../messages/task.ts'
import { Button } from '../../../ui/button.tsx'
import { TimerTime } from '../../timer/timer-time.tsx'
import { useOpenTask } from '../open-task.ts'
import { useRights } from '../rights.ts'
import { isFinished } from '../status-pick.tsx'
import { Prop } from './prop.tsx'

/** Time spent against the estimate, and the timer. */
export function TimeProp() {
  const { task } = useOpenTask()
  const { write } = useRights()
  const running = useTimer()
  const here = running?.task.id === task.id
  const { time_spent_seconds: spent, estimate_seconds: estimate } = task
  const left = estimate === null ? undefined : estimate - spent
  return (
    <Prop label={m.time}>
      <span className="mono">
        <span className={left !== undefined && left < 0 ? 'bad' : undefined}>{clockOf(spent)}</span>
        {estimate !== null && ` / ${clockOf(estimate)}`}
      </span>
      {left !== undefined && !(isFinished(task) && left >= 0) && (
        <span className={left < 0 ? 'bad' : 'quiet'}>
          {left < 0 ? m.over(clockOf(-left)) : m.left(clockOf(left))}
        </span>
      )}
      <Button
        kind="plain"
        icon={here ? 'stop' : 'play'}
        data-does="timer"
        aria-label={here ? m.stopTimer : m.startTimer}
        title={here ? m.stopTimer : m.startTimer}
        reason={here ? undefined : write}
        onClick={() => (here ? stopTimer() : startTimer(task))}
      >
        {here && <TimerTime since={running.entry.started_at} />}
      </Button>
    </Prop>
  )
}
