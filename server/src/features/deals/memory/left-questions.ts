/** So many questions may be under way; of more, some that nobody waits for are worked on all the same. */
const slots = 1024

/**
 * Which questions nobody waits for any more, known to both threads at once: a message would stand in the queue behind all
 * those questions.
 */
export class LeftQuestions {
  readonly #numbers: Int32Array

  /** `memory`: that of the other thread's. */
  constructor(memory = new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT)) {
    this.#numbers = new Int32Array(memory)
  }

  get memory(): SharedArrayBuffer {
    // The cast holds: it is made of one.
    return this.#numbers.buffer as SharedArrayBuffer
  }

  /** Nobody waits for question `at` any more. */
  leave(at: number): void {
    Atomics.store(this.#numbers, at % slots, at)
  }

  isLeft(at: number): boolean {
    return Atomics.load(this.#numbers, at % slots) === at
  }
}
