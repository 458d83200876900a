/**
 * Kinds of memories. Gives: the types that a memory's file may say. Leaves to files/kinds/read-memory.ts: the file.
 * Invariant 1: what the index finds has one of these types, wherever it is from.
 */
export type MemoryType = 'conversation' | 'task_result' | 'preference' | 'pattern' | 'note'
