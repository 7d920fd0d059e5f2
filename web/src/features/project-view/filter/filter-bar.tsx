import { Suspense, useState } from 'react'
import { useMayLoadMore } from '../../../lib/browser/schedule-preload.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { LazyFilterChips, lazyFilterField } from '../lazy/deferred-components.ts'
import { LazyField } from '../lazy/lazy-field.tsx'
import type { ViewControls } from '../project-view.ts'

/** The filter as chips, with a field for adding conditions (key `/`). */
export function FilterBar({ view, setView }: ViewControls) {
  const [isTyping, setIsTyping] = useState(false)
  const mayLoadMore = useMayLoadMore()
  useShortcuts('part', projectViewMessages.filter, [
    { keys: '/', label: projectViewMessages.filter, run: () => setIsTyping(true) },
  ])
  return (
    <div className="acts filter">
      {view.filter.length > 0 && mayLoadMore && (
        <Suspense>
          <LazyFilterChips view={view} setView={setView} />
        </Suspense>
      )}
      {isTyping ? (
        <LazyField
          part={lazyFilterField}
          props={{ view, setView, onDone: () => setIsTyping(false) }}
          label={projectViewMessages.filter}
          placeholder={projectViewMessages.filterHint}
          className="field"
          onEscape={() => setIsTyping(false)}
        />
      ) : (
        <Button kind="plain" icon="plus" keys="/" onClick={() => setIsTyping(true)}>
          {projectViewMessages.filter}
        </Button>
      )}
    </div>
  )
}
