class TextDelta {
  constructor(response) {
    this.response = response
  }
}

export class App {
  async *run({ words = ['a', 'b', 'c'] }) {
    for (const word of words) yield new TextDelta(`${word} `)
  }

  async *steps({ to = 3 }) {
    for (let step = 1; step <= to; step += 1) yield { step }
  }
}
