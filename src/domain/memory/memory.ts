/** Kinds of memories. Invariant 1: what the index finds has one of these types, wherever it is from. */
export type MemoryType = 'conversation' | 'task_result' | 'preference' | 'pattern' | 'note'
