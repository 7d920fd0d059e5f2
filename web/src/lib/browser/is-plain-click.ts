type Click = Pick<MouseEvent, 'metaKey' | 'ctrlKey' | 'shiftKey' | 'button'>

/** Whether a click on a link is meant for this page, not for another tab, window or a menu. */
export const isPlainClick = ({ metaKey, ctrlKey, shiftKey, button }: Click): boolean =>
  !metaKey && !ctrlKey && !shiftKey && button === 0
