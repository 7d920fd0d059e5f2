import './empty-state.css'
import type { ReactNode } from 'react'

/** Shown for an empty list: a sentence and an action with its shortcut (`<Button keys="c">`). */
export const EmptyState = ({ text, children }: { text: ReactNode; children?: ReactNode }) => (
  <div className="line empty">
    <span className="gut">0</span>
    <div className="acts">
      <p>{text}</p>
      {children}
    </div>
  </div>
)
