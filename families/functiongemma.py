"""FunctionGemma: Gemma 3 270M trained to call functions; it writes Gemma 4's notation with markers of its own.

Source: Google's "FunctionGemma formatting and best practices". It does not think.
"""

from __future__ import annotations

from functools import partial

from families import chatml
from families.base import Family, Text, TokenGroup
from families.gemma_marks import Dialect
from families.gemma_parser import parse_turn
from families.gemma_tables import DOCUMENT, FILE_NOTES

DIALECT = Dialect(
    call="<start_function_call>",
    end_call="<end_function_call>",
    string="<escape>",
    stops=("<end_of_turn>", "<start_function_response>", "<eos>"),
    control=("<start_of_turn>", "<end_function_response>", "<start_function_declaration>", "<end_function_declaration>"),
)

parse = partial(parse_turn, DIALECT)


TURNS = TokenGroup(
    Text("對話輪次", "Turns"),
    Text("標出誰在說話，以及話說到哪裡為止。", "Who is speaking, and where that ends."),
    {
        "<start_of_turn>": Text(
            "一輪從這裡開始，後面接著角色：developer、user 或 model。",
            "A turn begins; its role follows: developer, user or model.",
        ),
        "<end_of_turn>": Text(
            "這一輪到此結束。模型寫出它，就表示話說完了。",
            "The turn ends. When the model writes it, it has finished speaking.",
        ),
    },
)

FUNCTIONS = TokenGroup(
    Text("函式", "Functions"),
    Text("框住函式的說明、呼叫與結果。", "Frame the declaration of a function, a call, and its result."),
    {
        "<start_function_declaration>": Text("一個函式的說明從這裡開始。", "The declaration of a function begins."),
        "<end_function_declaration>": Text("函式的說明到此結束。", "The declaration ends."),
        "<start_function_call>": Text(
            "呼叫從這裡開始，後面應該是 call:、函式名稱與大括號裡的引數。",
            "A call begins; “call:”, the function's name and its arguments in braces should follow.",
        ),
        "<end_function_call>": Text("這個呼叫寫完了，可以執行。", "The call is complete and can be run."),
        "<start_function_response>": Text(
            "函式的結果從這裡開始。模型寫出它，就是停下來等結果。",
            "A function's result begins. When the model writes it, it stops and waits for the result.",
        ),
        "<end_function_response>": Text("函式的結果到此結束。", "The result ends."),
        "<escape>": Text(
            "字串的引號，開頭與結尾都是它。夾在中間的字一律算內容。",
            "The quotation mark of strings, at both ends. Whatever stands between two of them is content.",
        ),
    },
)

FUNCTIONGEMMA = Family(
    key="functiongemma",
    name="FunctionGemma",
    model_types=frozenset({"gemma3_text"}),
    required_tokens=("<start_of_turn>", "<end_of_turn>", "<start_function_call>", "<end_function_call>", "<escape>"),
    parse=parse,
    channels={
        "<start_function_call>": "tool_call",
        "<end_function_call>": "content",
        "<start_function_response>": "control",
        "<end_function_response>": "control",
        "<start_function_declaration>": "control",
        "<end_function_declaration>": "control",
        "<start_of_turn>": "control",
        "<end_of_turn>": "control",
        "<eos>": "control",
    },
    thinking_openers=(),
    stop_tokens={
        "<end_of_turn>": chatml.TURN_OVER,
        "<start_function_response>": Text(
            "模型呼叫了函式，停下來等結果。",
            "The model has called a function and stops to wait for the result.",
        ),
        "<eos>": chatml.DOCUMENT_OVER,
    },
    thinking_field=None,
    thinking_argument=None,
    # As the chat template in LiteRT-LM has it, the content stands before the calls.
    keeps_text_before_call=True,
    # There a tool's result leaves the model's turn open: whatever comes next, a user's words too, is written into it.
    alternates=True,
    user_turn_start="<start_of_turn>user\n",
    token_groups=(TURNS, FUNCTIONS, DOCUMENT),
    thinking_note=Text(
        "FunctionGemma 不思考：沒有開關，開或關提示都一樣。",
        "FunctionGemma does not think: there is no switch, and the prompt is the same either way.",
    ),
    tools_note=Text(
        "函式的說明寫在 developer 那一輪，夾在 <start_function_declaration> 與 <end_function_declaration> 之間，"
        "字串放在兩個 <escape> 之間。那一輪要寫明「You are a model that can do function calling with the following functions」，"
        "模型才會呼叫函式。它學的是一次呼叫，或同時呼叫幾個互不相干的函式，沒有學過拿一個結果去呼叫下一個。"
        "結果寫在模型那一輪裡：還沒等到回答就換使用者說話時，Loopglass 先補上一則「…」當作模型的話，讓那一輪結束。",
        "Functions are declared in the developer's turn, between <start_function_declaration> and "
        "<end_function_declaration>, strings between two <escape>. That turn has to say “You are a model that can do function "
        "calling with the following functions” for the model to call any. It was trained to make one call, or several "
        "independent ones at once, and not to use the result of one call in the next. A result stands in the model's turn: where "
        "the user goes on before it was answered, Loopglass first puts a “…” of the model, which ends that turn.",
    ),
    # The Gemma team's figures for Gemma 3, which FunctionGemma is built on (quoted on LM Studio's page of the model).
    sampling={"temperature": 1.0, "top_p": 0.95, "top_k": 64},
    vocabulary="sentencepiece",
    file_notes=(*(note for note in chatml.FILE_NOTES if note.file == "config.json"), *FILE_NOTES),
    call_closers=("<end_function_call>",),
    string_marks=("<escape>",),
)
