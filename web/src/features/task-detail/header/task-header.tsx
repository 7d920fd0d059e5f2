import './task-header.css'
import { Link } from '@tanstack/react-router'
import { useBoot } from '../../../data/session/boot.ts'
import { shellMessages } from '../../../messages/app/shell.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { taskDetailMessages } from '../../../messages/tasks/task-detail.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { Icon } from '../../../ui/marks/icon.tsx'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusGlyph } from '../../../ui/marks/status-mark.tsx'
import { MenuButton } from '../../../ui/overlays/menu-button.tsx'
import { WatchButton } from '../../inbox/index.ts'
import { useOpenTask } from '../open-task-context.ts'
import { toggleTaskCompleted } from '../properties/task-status.tsx'
import { useBlockReasons } from '../use-block-reasons.ts'
import { copyTaskLink } from './copy-task.ts'
import { getSibling } from './get-sibling.ts'
import { useTaskMenu } from './use-task-menu.ts'

/** The header: short id, main actions and navigation to the sibling tasks. */
export function TaskHeader({ siblings }: { siblings: readonly string[] }) {
  const { task, project, page, showTask, leave } = useOpenTask()
  const { session } = useBoot('session')
  const { write } = useBlockReasons()
  const isCompleted = task.status_category === 'completed'
  const [previousTask, nextTask] = [
    getSibling(siblings, task.short_id, -1),
    getSibling(siblings, task.short_id, 1),
  ]
  const menu = useTaskMenu(siblings)
  return (
    <header className="task-head">
      <span className="gut">
        <button
          type="button"
          className="no"
          title={taskDetailMessages.copyLink(task.short_id)}
          aria-label={taskDetailMessages.copyLink(task.short_id)}
          onClick={() => copyTaskLink(task)}
        >
          <ShortId id={task.short_id} />
        </button>
      </span>
      <div className="acts">
        {page && (
          <IconButton
            icon="left"
            label={taskDetailMessages.back(project?.name ?? shellMessages.myWork)}
            onClick={() => leave()}
          />
        )}
        <Button keys="mod+enter" reason={write} onClick={() => toggleTaskCompleted(task, project)}>
          <StatusGlyph mark={isCompleted ? 'done' : 'todo'} />
          {isCompleted ? taskDetailMessages.reopen : projectViewMessages.complete}
        </Button>
        <span className="end">
          {siblings.length > 0 && (
            <>
              <IconButton
                icon="up"
                label={projectViewMessages.previous}
                className="only-wide"
                {...(previousTask ? { onClick: () => showTask(previousTask) } : { disabled: true })}
              />
              <IconButton
                icon="down"
                label={projectViewMessages.next}
                className="only-wide"
                {...(nextTask ? { onClick: () => showTask(nextTask) } : { disabled: true })}
              />
            </>
          )}
          <WatchButton id={task.id} />
          <MenuButton label={taskDetailMessages.more} sections={menu}>
            <Icon name="dots" />
          </MenuButton>
          {!page && (
            <>
              <Link
                className="btn plain as-page"
                to="/w/$workspaceId/t/$shortId"
                params={{ workspaceId: session.workspace.id, shortId: task.short_id }}
                aria-label={taskDetailMessages.openPage}
                title={taskDetailMessages.openPage}
              >
                <Icon name="wide" />
              </Link>
              <IconButton icon="x" label={taskDetailMessages.close} onClick={() => leave()} />
            </>
          )}
        </span>
      </div>
    </header>
  )
}

interface EmptyTaskHeaderProps {
  shortId: string
  page: boolean
  onLeave: () => void
}

/** The header while no task is loaded. */
export const EmptyTaskHeader = ({ shortId, page, onLeave }: EmptyTaskHeaderProps) => (
  <header className="task-head">
    <span className="gut">
      <span className="no">
        <ShortId id={shortId.toUpperCase()} />
      </span>
    </span>
    <div className="acts">
      <span className="end">
        {!page && <IconButton icon="x" label={taskDetailMessages.close} onClick={onLeave} />}
      </span>
    </div>
  </header>
)
