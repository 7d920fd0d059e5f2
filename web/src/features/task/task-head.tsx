import { Link } from '@tanstack/react-router'
import { useBoot } from '../../data/boot.ts'
import { startTimer, stopTimer, useTimer } from '../../data/timer.ts'
import { m } from '../../messages/task.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { ShortId } from '../../ui/short-id.tsx'
import { Glyph } from '../../ui/status-mark.tsx'
import { Watch } from '../inbox/watch.tsx'
import { copyLink } from './copy-task.ts'
import { useMenu } from './menu.ts'
import { useOpenTask } from './open-task.ts'
import { useRights } from './rights.ts'
import { siblingOf } from './siblings.ts'
import { toggleComplete } from './status-pick.tsx'

/** The number, what is done most, and the ways to other tasks. */
export function TaskHead({ siblings }: { siblings: readonly string[] }) {
  const { task, project, page, go, leave } = useOpenTask()
  const { session } = useBoot()
  const { write } = useRights()
  const running = useTimer()
  const timed = running?.task.id === task.id
  const done = task.status_category === 'completed'
  const [before, after] = [
    siblingOf(siblings, task.short_id, -1),
    siblingOf(siblings, task.short_id, 1),
  ]
  const menu = useMenu()
  return (
    <header className="task-head">
      <span className="gut">
        <button
          type="button"
          className="no"
          title={m.copyLink(task.short_id)}
          aria-label={m.copyLink(task.short_id)}
          onClick={() => copyLink(task)}
        >
          <ShortId id={task.short_id} />
        </button>
      </span>
      <div className="acts">
        <Button keys="mod+enter" reason={write} onClick={() => toggleComplete(task, project)}>
          <Glyph mark={done ? 'done' : 'todo'} />
          {done ? m.reopen : m.complete}
        </Button>
        <span className="end">
          {siblings.length > 0 && (
            <>
              <IconButton
                icon="up"
                label={m.previous}
                className="only-wide"
                {...(before ? { onClick: () => go(before) } : { disabled: true })}
              />
              <IconButton
                icon="down"
                label={m.next}
                className="only-wide"
                {...(after ? { onClick: () => go(after) } : { disabled: true })}
              />
            </>
          )}
          <IconButton
            icon={timed ? 'stop' : 'play'}
            label={timed ? m.stopTimer : m.startTimer}
            reason={timed ? undefined : write}
            onClick={() => (timed ? stopTimer() : startTimer(task))}
          />
          <Watch id={task.id} />
          <MenuButton label={m.more} sections={menu}>
            <Icon name="dots" />
          </MenuButton>
          {!page && (
            <>
              <Link
                className="btn plain as-page"
                to="/w/$workspaceId/t/$shortId"
                params={{ workspaceId: session.workspace.id, shortId: task.short_id }}
                aria-label={m.openPage}
                title={m.openPage}
              >
                <Icon name="wide" />
              </Link>
              <IconButton icon="x" label={m.close} onClick={leave} />
            </>
          )}
        </span>
      </div>
    </header>
  )
}

interface EmptyProps {
  shortId: string
  page: boolean
  onLeave: () => void
}

/** The head while there is no task to show. */
export const TaskHeadEmpty = ({ shortId, page, onLeave }: EmptyProps) => (
  <header className="task-head">
    <span className="gut">
      <span className="no">
        <ShortId id={shortId.toUpperCase()} />
      </span>
    </span>
    <div className="acts">
      <span className="end">
        {!page && <IconButton icon="x" label={m.close} onClick={onLeave} />}
      </span>
    </div>
  </header>
)
